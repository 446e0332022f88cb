# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of rankscope-cli for fish.

set --local commands summary report table findings
set --local tables files ranks steps collectives collective_instances operators kernels gaps memory memory_curve findings attribution
set --local first 'not __fish_seen_subcommand_from '"$commands"

complete -c rankscope-cli -n "$first" -f -a summary -d 'print a summary of the job'
complete -c rankscope-cli -n "$first" -f -a report -d 'write tables and summary.json into a folder'
complete -c rankscope-cli -n "$first" -f -a table -d 'print one table'
complete -c rankscope-cli -n "$first" -f -a findings -d 'print what is wrong, what it costs and how to fix it'
complete -c rankscope-cli -n "$first" -l version -d 'print the version'
complete -c rankscope-cli -s h -l help -d 'print help'
complete -c rankscope-cli -n '__fish_seen_subcommand_from table' -a "$tables"
complete -c rankscope-cli -l skip-python -d 'do not load the Python stack'
complete -c rankscope-cli -l skip-cpu-ops -d 'do not load CPU operators'
complete -c rankscope-cli -l load-steps -x -d 'load only these marked steps: A..B'
complete -c rankscope-cli -l no-cache -d 'neither use nor write the cache'
complete -c rankscope-cli -l threads -x -d 'number of threads'
complete -c rankscope-cli -l capture -x -d 'use only this profiling cycle of every rank'
complete -c rankscope-cli -l recorded-clocks -d 'use the clocks of the hosts as recorded'
complete -c rankscope-cli -l all-steps -d 'means over all steps'
complete -c rankscope-cli -l steps -x -d 'only these steps: A..B'
complete -c rankscope-cli -l from -x -d 'only after this time'
complete -c rankscope-cli -l to -x -d 'only before this time'
complete -c rankscope-cli -l ranks -x -d 'only these ranks: 0,3-5'
complete -c rankscope-cli -l quiet -d 'print no progress'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report' -l out -r -d 'output folder'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report' -l tables -x -a "$tables" -d 'only these tables, comma-separated'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report' -l html -d 'also write report.html'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report table' -l format -x -a 'csv json' -d 'csv or json'
complete -c rankscope-cli -n '__fish_seen_subcommand_from findings' -l format -x -a 'text csv json' -d 'text, csv or json'
complete -c rankscope-cli -n '__fish_seen_subcommand_from findings' -l fail-on -x -a 'info warning critical gain:5%' -d 'exit with 3 if a finding has at least this severity or gain'
complete -c rankscope-cli -n '__fish_seen_subcommand_from findings' -l ignore -r -d 'JSON file of accepted findings'

# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of rankscope-cli for fish.

set --local commands summary report table findings
set --local tables files ranks steps collectives collective_instances operators kernels gaps memory memory_curve findings
set --local first 'not __fish_seen_subcommand_from '"$commands"

complete -c rankscope-cli -n "$first" -f -a summary -d 'the job on one screen'
complete -c rankscope-cli -n "$first" -f -a report -d 'tables and summary.json into a folder'
complete -c rankscope-cli -n "$first" -f -a table -d 'one table on standard output'
complete -c rankscope-cli -n "$first" -f -a findings -d 'what is wrong, what it costs and what to do'
complete -c rankscope-cli -n "$first" -l version -d 'say which version this is'
complete -c rankscope-cli -s h -l help -d 'explain the command'
complete -c rankscope-cli -n '__fish_seen_subcommand_from table' -a "$tables"
complete -c rankscope-cli -l skip-python -d 'do not load the Python stack'
complete -c rankscope-cli -l skip-cpu-ops -d 'do not load the operators of the host'
complete -c rankscope-cli -l load-steps -x -d 'load only these marked steps: A..B'
complete -c rankscope-cli -l no-cache -d 'neither use nor keep what an earlier reading gave'
complete -c rankscope-cli -l threads -x -d 'threads to use'
complete -c rankscope-cli -l capture -x -d 'only this profiling cycle of every rank'
complete -c rankscope-cli -l recorded-clocks -d 'take the clocks of the hosts as recorded'
complete -c rankscope-cli -l steps -x -d 'only these steps: A..B'
complete -c rankscope-cli -l from -x -d 'only from this time on'
complete -c rankscope-cli -l to -x -d 'only up to this time'
complete -c rankscope-cli -l ranks -x -d 'only these ranks: 0,3-5'
complete -c rankscope-cli -l quiet -d 'no progress'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report' -l out -r -d 'folder to write into'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report' -l tables -x -a "$tables" -d 'only these, separated by commas'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report' -l html -d 'also report.html'
complete -c rankscope-cli -n '__fish_seen_subcommand_from report table' -l format -x -a 'csv json' -d 'csv or json'
complete -c rankscope-cli -n '__fish_seen_subcommand_from findings' -l format -x -a 'text csv json' -d 'text, csv or json'
complete -c rankscope-cli -n '__fish_seen_subcommand_from findings' -l fail-on -x -a 'info warning critical' -d 'exit with 3 when a finding is this bad'

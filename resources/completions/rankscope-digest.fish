# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of rankscope-digest for fish.

complete -c rankscope-digest -l out -r -d 'folder of the digest'
complete -c rankscope-digest -l local -r -d 'folder of which each host has its own'
complete -c rankscope-digest -l keep-events -d 'keep the events of each file beside the digest'
complete -c rankscope-digest -l time -x -a '25m 2h' -d 'end by then with what was read'
complete -c rankscope-digest -l threads -x -d 'threads of each process'
complete -c rankscope-digest -l plan -d 'print files, memory and time; read nothing'
complete -c rankscope-digest -l version -d 'print the version'
complete -c rankscope-digest -s h -l help -d 'print help'

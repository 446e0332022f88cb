# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of rankscope and rankscope-cli for bash.

_rankscope_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_rankscope_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_rankscope() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  case $before in
    --view) _rankscope_words "timeline overview distributed operators kernels memory files" "$word" ;;
    --theme) _rankscope_words "dark light" "$word" ;;
    --size) _rankscope_words "1280x720 1920x1080 2560x1440 3840x2160" "$word" ;;
    --from | --to | --select | --do | --load-steps | --threads | --capture) COMPREPLY=() ;;
    *)
      if [[ $word == -* ]]; then
        _rankscope_words "--screenshot --view --size --from --to --select --theme --do --bench-frames --bench-tabs
          --no-cache --skip-python --skip-cpu-ops --load-steps --threads --capture --version --help" "$word"
      else
        _rankscope_paths "$word"
      fi
      ;;
  esac
}

_rankscope_cli() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local tables="files ranks steps collectives collective_instances operators kernels gaps memory memory_curve findings"
  local options="--threads --capture --recorded-clocks --steps --from --to --ranks --skip-python --skip-cpu-ops
    --load-steps --no-cache --quiet --help"
  if ((COMP_CWORD == 1)); then
    _rankscope_words "summary report table findings --version --help" "$word"
    return
  fi
  case $command in
    report) options+=" --out --tables --html --format" ;;
    table) options+=" --format" ;;
    findings) options+=" --format --fail-on" ;;
  esac
  case $before in
    --format)
      if [[ $command == findings ]]; then
        _rankscope_words "text csv json" "$word"
      else
        _rankscope_words "csv json" "$word"
      fi
      ;;
    --fail-on) _rankscope_words "info warning critical" "$word" ;;
    --tables) _rankscope_words "$tables" "$word" ;;
    --threads | --capture | --steps | --from | --to | --ranks | --load-steps) COMPREPLY=() ;;
    *)
      if [[ $word == -* ]]; then
        _rankscope_words "$options" "$word"
      elif [[ $command == table && $COMP_CWORD -eq 2 ]]; then
        _rankscope_words "$tables" "$word"
      else
        _rankscope_paths "$word"
      fi
      ;;
  esac
}

complete -F _rankscope rankscope
complete -F _rankscope_cli rankscope-cli

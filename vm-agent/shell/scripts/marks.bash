# Read by bash in place of ~/.bashrc (--init-file): reads the user's own files, and then has bash print marks around
# each command (OSC 133). Prompts stay as they are, and nothing is typed.
#
# HOLDFAST_MARKS is "nonce:number", with ":login" if the shell was asked for as a login shell. The nonce proves that a
# mark is ours, so it leaves the environment before anything of the user's runs.

_holdfast_nonce=${HOLDFAST_MARKS-}
unset HOLDFAST_MARKS
_holdfast_n=${_holdfast_nonce#*:}
_holdfast_login=${_holdfast_n#*:}
_holdfast_n=${_holdfast_n%%:*}
_holdfast_nonce=${_holdfast_nonce%%:*}

# At a prompt 1, and 0 once PS0 has told of a command.
_holdfast_armed=1
_holdfast_blank=('' '')

# What PS0 gets: tells of the command, and notes that. The second part has to run in this shell, so it is a subscript,
# which is arithmetic and may assign. In a shell that merely inherited an exported PS0, all of it is empty.
_holdfast_ps0='${_holdfast_n:+$({ _holdfast_accepted; } 2>/dev/null)${_holdfast_blank[_holdfast_armed=0]}}'

# Functions are defined before the user's files are read, because aliases would change them. They write to the terminal
# itself, because the shell's output may be redirected. Options of the user (set -aeux) do not apply inside.

# Before each prompt. Bash restores $? and PIPESTATUS after it.
_holdfast_prompt() {
  local _holdfast_status=${_holdfast_kept-$?} -
  set +aeux
  if [[ $_holdfast_armed == 0 ]]; then
    builtin printf '\e]133;D;%s;nonce=%s;n=%s\a' "$_holdfast_status" "$_holdfast_nonce" "$_holdfast_n"
    _holdfast_n=$((_holdfast_n + 1))
  fi
  _holdfast_armed=1
  _holdfast_histcmd=${HISTCMD-}
  _holdfast_keep_ps0
  # Before it, the usual keys: a program that died, or a printed file, may have asked for others, also of Ctrl-C.
  builtin printf '\e[=0u\e[>4m\e]133;A;nonce=%s\a' "$_holdfast_nonce"
  return 0
} 2>/dev/null >/dev/tty

# Before the user's PROMPT_COMMAND, for a bash that does not restore $? after each part of it.
_holdfast_keep_status() {
  _holdfast_kept=$?
  # With -e, the shell would end.
  if [[ $- == *e* ]]; then return 0; fi
  return "$_holdfast_kept"
}

# Ours comes first in PS0, and the user's follows, also one that was set since the last prompt. Without promptvars bash
# would print ours as text.
_holdfast_keep_ps0() {
  local _holdfast_own=${PS0-}
  _holdfast_own=${_holdfast_own//"$_holdfast_ps0"/}
  local _holdfast_whole=$_holdfast_ps0$_holdfast_own
  if ! shopt -q promptvars; then _holdfast_whole=$_holdfast_own; fi
  if [[ ${PS0-} != "$_holdfast_whole" ]]; then PS0=$_holdfast_whole; fi
}

# A command was accepted, and runs next. In a subshell, by PS0.
_holdfast_accepted() {
  set +aeux
  # Without a prompt of ours since the last command, nothing tells of its end.
  if [[ $_holdfast_armed == 0 ]]; then return 0; fi
  local _holdfast_line=''
  _holdfast_read_line && _holdfast_encode
  builtin printf '\e]133;C;nonce=%s;n=%s%s\a' "$_holdfast_nonce" "$_holdfast_n" \
    "${_holdfast_line:+;cmdline_url=$_holdfast_line}"
} 2>/dev/null >/dev/tty

# The newest entry of the history, unless that may be another command.
_holdfast_read_line() {
  local _holdfast_added=$((${HISTCMD-0} - ${_holdfast_histcmd:-0}))
  # Without cmdhist, each line of a command is an entry.
  if ((_holdfast_added > 1)); then return 1; fi
  # No entry was added: the command repeats the last one, or it may be one that the history does not keep.
  if ((_holdfast_added == 0)); then
    case :${HISTCONTROL-}: in
      *:ignorespace:* | *:ignoreboth:*) return 1 ;;
      *:ignoredups:* | *:erasedups:*) ;;
      *) return 1 ;;
    esac
    if [[ -n ${HISTIGNORE-} || :$SHELLOPTS: != *:history:* ]]; then return 1; fi
  fi
  _holdfast_line=$(HISTTIMEFORMAT='' builtin history 1)
  # "  12  command", or with a star if the entry was changed.
  _holdfast_line=${_holdfast_line#"${_holdfast_line%%[0-9]*}"}
  _holdfast_line=${_holdfast_line#"${_holdfast_line%%[!0-9]*}"}
  _holdfast_line=${_holdfast_line:2}
}

# Characters that would end the mark or its field become %HH. Too long, or with C1 controls: no line.
_holdfast_encode() {
  if ((${#_holdfast_line} > 2048)); then
    _holdfast_line=''
    return
  fi
  local LC_ALL=C _holdfast_code _holdfast_char
  if [[ $_holdfast_line == *$'\xc2'[$'\x80'-$'\x9f']* ]]; then _holdfast_line=''; fi
  _holdfast_line=${_holdfast_line//'%'/%25}
  _holdfast_line=${_holdfast_line//';'/%3B}
  if [[ $_holdfast_line != *[[:cntrl:]]* ]]; then return; fi
  for _holdfast_code in 0{{1..9},A,B,C,D,E,F} 1{{0..9},A,B,C,D,E,F} 7F; do
    builtin printf -v _holdfast_char "\\x$_holdfast_code"
    _holdfast_line=${_holdfast_line//"$_holdfast_char"/%$_holdfast_code}
  done
}

_holdfast_is() {
  local _holdfast_declared
  _holdfast_declared=$(declare -p "$2" 2>/dev/null)
  _holdfast_declared=${_holdfast_declared#declare -}
  [[ ${_holdfast_declared%% *} == *"$1"* ]]
}

# After the user's files. Bash before 4.4 has no PS0.
_holdfast_begin() {
  if [[ $_holdfast_login == login ]]; then _holdfast_end_login; fi
  unset -f _holdfast_begin _holdfast_end_login
  local _holdfast_version=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))
  if [[ -z $_holdfast_nonce || $_holdfast_version -lt 404 ]]; then return 0; fi
  local -
  set +aeux
  if _holdfast_is r PROMPT_COMMAND || _holdfast_is r PS0; then return 0; fi
  if ((_holdfast_version < 501)); then
    # It would reach other shells, which do not have these functions.
    if _holdfast_is x PROMPT_COMMAND; then return 0; fi
    PROMPT_COMMAND="_holdfast_keep_status"$'\n'"${PROMPT_COMMAND-}"$'\n'"_holdfast_prompt"
  elif ((${#PROMPT_COMMAND[@]} == 0)); then
    # Not the first element, which is what the user sets and reads as $PROMPT_COMMAND.
    PROMPT_COMMAND[1]=_holdfast_prompt
  else
    PROMPT_COMMAND+=(_holdfast_prompt)
  fi
}

# What only a login shell has: `logout`, and a file that is read at its end, before the user's own trap.
_holdfast_end_login() {
  logout() { exit "$@"; }
  _holdfast_trap=$(trap -p EXIT)
  _holdfast_trap=${_holdfast_trap#trap -- }
  eval "_holdfast_trap=${_holdfast_trap% EXIT}"
  trap "_holdfast_logout"$'\n'"$_holdfast_trap" EXIT
  unset _holdfast_trap
}

_holdfast_logout() {
  local _holdfast_status=$?
  if [ -r ~/.bash_logout ]; then . ~/.bash_logout; fi
  return "$_holdfast_status"
}

# The same files that bash would read, in its order.
if [ "$_holdfast_login" = login ]; then
  if [ -r /etc/profile ]; then . /etc/profile; fi
  if [ -r ~/.bash_profile ]; then . ~/.bash_profile
  elif [ -r ~/.bash_login ]; then . ~/.bash_login
  elif [ -r ~/.profile ]; then . ~/.profile
  fi
elif [ -r ~/.bashrc ]; then . ~/.bashrc
fi
_holdfast_begin

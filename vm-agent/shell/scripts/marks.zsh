# Read by zsh as the .zshenv of ZDOTDIR, which is this folder for this one file: sets ZDOTDIR back, has zsh print marks
# around each command (OSC 133), and reads the user's own .zshenv. All other files are read by zsh itself, from the
# user's folder. Prompts stay as they are, and nothing is typed.
#
# HOLDFAST_MARKS is "nonce:number", with ":folder" if ZDOTDIR was set. The nonce proves that a mark is ours, so it
# leaves the environment before anything of the user's runs.

# Outside of functions, this has to work with any options: /etc/zshenv has been read.
_holdfast_nonce="${HOLDFAST_MARKS-}"
unset HOLDFAST_MARKS
_holdfast_n="${_holdfast_nonce#*:}"
if [[ "${_holdfast_n}" == *:* ]]; then
  export ZDOTDIR="${_holdfast_n#*:}"
else
  unset ZDOTDIR
fi
_holdfast_n="${_holdfast_n%%:*}"
_holdfast_nonce="${_holdfast_nonce%%:*}"

# 1 while a command runs.
_holdfast_running=0

# `emulate` gives functions zsh's own options, whatever the user has chosen.

# To the terminal itself: the shell's output may be redirected, as it is while a theme prepares its prompt. Zsh ignores
# a redirection of a whole function if it is a hook.
_holdfast_print() {
  builtin print -rn -- $'\e]133;'"$1"$'\a' 2>/dev/null >/dev/tty
}

# First of all before a prompt. Zsh gives every function $? of the command.
_holdfast_ended() {
  local _holdfast_status=$?
  builtin emulate -L zsh -o no_xtrace
  if (( _holdfast_running )); then
    _holdfast_print "D;$_holdfast_status;nonce=$_holdfast_nonce;n=$_holdfast_n"
    (( ++_holdfast_n ))
    _holdfast_running=0
  fi
}

# Last of all before a prompt, because others may move the cursor.
_holdfast_prompt() {
  builtin emulate -L zsh -o no_xtrace
  # The usual keys: a program that died, or a printed file, may have asked for others, also of Ctrl-C.
  builtin print -rn -- $'\e[=0u\e[>4m' 2>/dev/null >/dev/tty
  _holdfast_print "A;nonce=$_holdfast_nonce"
}

# Others have added theirs behind ours while the user's files were read. Once is enough: who comes later may be last.
_holdfast_first_prompt() {
  builtin emulate -L zsh -o no_xtrace
  precmd_functions=(_holdfast_ended ${precmd_functions:#_holdfast_*} _holdfast_prompt)
  _holdfast_prompt
}

# A command was accepted, and runs next. $1 is the line as it was typed, or empty if the history does not take it.
_holdfast_accepted() {
  # Options of the user that tell what the history keeps, before they are out of reach.
  local _holdfast_line=$1
  if [[ -o hist_ignore_space && $1 == ' '* ]]; then _holdfast_line=''; fi
  builtin emulate -L zsh -o no_xtrace
  # A file or theme that assigned the array has removed ours.
  if (( ! ${precmd_functions[(I)_holdfast_ended]} )); then
    precmd_functions=(_holdfast_ended $precmd_functions _holdfast_prompt)
  fi
  _holdfast_encode
  _holdfast_print "C;nonce=$_holdfast_nonce;n=$_holdfast_n$_holdfast_line"
  _holdfast_running=1
}

# Characters that would end the mark or its field become %HH. Too long, or with C1 controls: no line.
_holdfast_encode() {
  if (( $#_holdfast_line == 0 || $#_holdfast_line > 2048 )); then
    _holdfast_line=''
    return
  fi
  builtin setopt local_options no_multibyte
  if [[ $_holdfast_line == *$'\xc2'[$'\x80'-$'\x9f']* ]]; then
    _holdfast_line=''
    return
  fi
  _holdfast_line=${${_holdfast_line//\%/%25}//;/%3B}
  if [[ $_holdfast_line == *[[:cntrl:]]* ]]; then
    local _holdfast_code _holdfast_char
    for _holdfast_code in 0{{1..9},A,B,C,D,E,F} 1{{0..9},A,B,C,D,E,F} 7F; do
      _holdfast_char=${(#):-$((16#$_holdfast_code))}
      _holdfast_line=${_holdfast_line//$_holdfast_char/%$_holdfast_code}
    done
  fi
  _holdfast_line=";cmdline_url=$_holdfast_line"
}

if [[ -n "${_holdfast_nonce}" && -o interactive ]]; then
  typeset -ga precmd_functions preexec_functions
  precmd_functions+=(_holdfast_first_prompt)
  preexec_functions+=(_holdfast_accepted)
fi

if [[ -r "${ZDOTDIR-$HOME}/.zshenv" ]]; then . "${ZDOTDIR-$HOME}/.zshenv"; fi

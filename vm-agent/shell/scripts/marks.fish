# Read by fish after the user's own files (--init-command): has fish print marks around each command (OSC 133). Prompts
# stay as they are, and nothing is typed.
#
# HOLDFAST_MARKS is "nonce:number". The nonce proves that a mark is ours, so it leaves the environment.

set -g __holdfast_nonce (string split : -- "$HOLDFAST_MARKS")
set -e HOLDFAST_MARKS
set -g __holdfast_n $__holdfast_nonce[2]
set -g __holdfast_nonce $__holdfast_nonce[1]
set -g __holdfast_running 0

# Fish runs functions of events with its own output, whatever the command's was.

function __holdfast_accepted --on-event fish_preexec
    set -l line
    # A leading space keeps a command out of the history.
    if not string match -q ' *' -- $argv[1]
        set line (__holdfast_encode $argv[1])
    end
    printf '\e]133;C;nonce=%s;n=%s%s\a' $__holdfast_nonce $__holdfast_n "$line"
    set -g __holdfast_running 1
end

function __holdfast_ended --on-event fish_postexec
    set -l code $status
    test $__holdfast_running = 1; or return
    printf '\e]133;D;%s;nonce=%s;n=%s\a' $code $__holdfast_nonce $__holdfast_n
    set -g __holdfast_running 0
    set -g __holdfast_n (math $__holdfast_n + 1)
end

function __holdfast_prompt --on-event fish_prompt
    printf '\e]133;A;nonce=%s\a' $__holdfast_nonce
end

# Characters that would end the mark or its field become %HH. Too long, or with C1 controls: no line.
function __holdfast_encode -a line
    if test (string length -- "$line") -gt 2048; or string match -rq '[\x{80}-\x{9f}]' -- $line
        return
    end
    set -l lines (string split \n -- $line | string replace -a % %25 | string replace -a ';' %3B)
    if string match -rq '[\x01-\x1f\x7f]' -- $lines
        for code in 0{1,2,3,4,5,6,7,8,9,B,C,D,E,F} 1{0,1,2,3,4,5,6,7,8,9,A,B,C,D,E,F} 7F
            set lines (string replace -a (printf "\x$code") %$code -- $lines)
        end
    end
    printf ';cmdline_url=%s' (string join %0A -- $lines)
end

/** The marks that a run types around its command in a shell without our script, as formats for `printf`. */

/**
 * `C` takes the nonce, `D` the exit code and the nonce. The escape character is written as digits, so that the echo of
 * the typed line is no mark.
 */
export function markOf(letter: 'C' | 'D'): string {
  return letter === 'C'
    ? String.raw`\033]133;C;nonce=%s\033\134`
    : String.raw`\033]133;D;%s;nonce=%s\033\134`;
}

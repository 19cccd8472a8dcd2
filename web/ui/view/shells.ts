/** Tells whether a terminal is idle, with its shell waiting for a command, so that closing it loses nothing. */
const SHELLS: ReadonlySet<string> = new Set(
  'sh bash dash zsh fish ksh mksh ash tcsh csh nu pwsh elvish xonsh busybox'.split(' '),
);

/** Shells that ask nothing of the keyboard. What is set while one waits was left by another program, or was printed. */
const PLAIN_KEY_SHELLS: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh mksh ash tcsh csh busybox'.split(' '),
);

/** Whether a shell waits that understands only the usual bytes of keys. */
export function hasPlainKeys(foreground: string | null): boolean {
  return foreground !== null && PLAIN_KEY_SHELLS.has(foreground.replace(/^-/, ''));
}

/** The program running in the shell; null when the shell itself is waiting. */
export function runningProgram(foreground: string | null): string | null {
  if (foreground === null) return null;
  // A login shell's name is "-bash".
  return SHELLS.has(foreground.replace(/^-/, '')) ? null : foreground;
}

/** Tells whether a terminal is idle, with its shell waiting for a command, so that closing it loses nothing. */
const SHELLS: ReadonlySet<string> = new Set(
  'sh bash dash zsh fish ksh mksh ash tcsh csh nu pwsh elvish xonsh busybox'.split(' '),
);

/** The program running in the shell; null when the shell itself is waiting. */
export function runningProgram(foreground: string | null): string | null {
  if (foreground === null) return null;
  // A login shell's name is "-bash".
  return SHELLS.has(foreground.replace(/^-/, '')) ? null : foreground;
}

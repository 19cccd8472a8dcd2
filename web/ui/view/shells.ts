/** Whether a terminal has nothing to lose: its shell waits for a command. */
const SHELLS: ReadonlySet<string> = new Set(
  'sh bash dash zsh fish ksh mksh ash tcsh csh nu pwsh elvish xonsh busybox'.split(' '),
);

/** The program that runs in front of the shell; null when the shell itself waits. */
export function runningProgram(foreground: string | null): string | null {
  if (foreground === null) return null;
  // A login shell calls itself "-bash".
  return SHELLS.has(foreground.replace(/^-/, '')) ? null : foreground;
}

/** Describes how a program exited. */
export function exitSentence(exitCode: number | null, signal: string | null): string {
  if (signal !== null) return `The shell has ended (${signal}).`;
  return exitCode === null ? 'The shell has ended.' : `The shell has ended (exit code ${exitCode}).`;
}

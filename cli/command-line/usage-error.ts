/** The command line was not understood; its message is the one sentence to show, and the exit code is 2. */
export class UsageError extends Error {}

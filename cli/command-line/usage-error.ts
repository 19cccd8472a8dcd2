/** The command line is invalid. The message is the one sentence to show; the exit code is 2. */
export class UsageError extends Error {}

/** An expected failure to start; its message is the one sentence to show, and the exit code is 1. */
export class StartError extends Error {}

/** An expected failure to start. Its message is shown to the user, and the exit code is 1. */
export class StartError extends Error {}

/** Makes random ids that cannot be guessed. */
import { randomBytes } from 'node:crypto';

/** 128 random bits, for a session or an epoch. Knowing one grants nothing; guessing one is not feasible. */
export function newId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    // A command line would take it for an option.
    if (!id.startsWith('-')) return id;
  }
}

/** A session's number in data frames: unique among current sessions, and random so that two epochs rarely share one. */
export function newHandle(isTaken: (handle: number) => boolean): number {
  for (;;) {
    const handle = randomBytes(4).readUInt32BE();
    if (!isTaken(handle)) return handle;
  }
}

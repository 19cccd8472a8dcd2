/** Names that cannot be guessed. */
import { randomBytes } from 'node:crypto';

/** 128 random bits: of a session, of an agent's life. Knowing one grants nothing, guessing one is hopeless. */
export function newId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    // On a command line it would be taken for an option.
    if (!id.startsWith('-')) return id;
  }
}

/** A session's number in data frames; unique among the living, and random so that two lives share few. */
export function newHandle(isTaken: (handle: number) => boolean): number {
  for (;;) {
    const handle = randomBytes(4).readUInt32BE();
    if (!isTaken(handle)) return handle;
  }
}

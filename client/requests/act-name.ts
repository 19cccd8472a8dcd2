/**
 * How a key that a caller gives a run becomes its `act`: by a digest of this text. The HTTP API and the command line make
 * the same one, so that a run which was begun by one can be repeated by the other.
 */
export function actName(session: string, key: string): string {
  return `run\n${session}\n${key}`;
}

/** What happened in terminals that nobody was looking at. */
export type Marker = 'activity' | 'bell';

export class Markers {
  readonly #markers = new Map<string, Marker>();

  of(key: string): Marker | null {
    return this.#markers.get(key) ?? null;
  }

  /** True when that is news. A bell calls somebody; mere output does not outshout it. */
  note(key: string, marker: Marker): boolean {
    const before = this.#markers.get(key);
    if (before === marker || before === 'bell') return false;
    this.#markers.set(key, marker);
    return true;
  }

  seen(key: string): void {
    this.#markers.delete(key);
  }
}

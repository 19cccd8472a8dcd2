/** The storage of a window, in memory. */
export class FakeStorage implements Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  readonly #items = new Map<string, string>();

  get keys(): string[] {
    return [...this.#items.keys()];
  }

  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }

  removeItem(key: string): void {
    this.#items.delete(key);
  }

  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }
}

/** A screen that is only text. */
import type { Screen } from '../../client/screen.ts';
import type { Size } from '../../protocol/frame.ts';
import { Sightings } from './sightings.ts';

/** Collects output synchronously, for tests of the client library alone. */
export class TextScreen implements Screen {
  readonly #decoder = new TextDecoder();
  readonly #sightings = new Sightings(() => this.text);
  text = '';
  resets = 0;
  size: Size | undefined;

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.text += this.#decoder.decode(bytes, { stream: true });
    shown();
    this.#sightings.changed();
  }

  reset(): void {
    this.text = '';
    this.resets++;
  }

  resize(size: Size): void {
    this.size = size;
    this.#sightings.changed();
  }

  /** Resolves when `pattern` has been printed; if it never is, the test times out. */
  sees(pattern: RegExp): Promise<RegExpMatchArray> {
    return this.#sightings.of(pattern);
  }
}

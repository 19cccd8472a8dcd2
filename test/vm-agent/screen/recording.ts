/** The output of a program, with the sizes of its terminal. */
import { readdirSync, readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

export interface Recording {
  readonly cols: number;
  readonly rows: number;
  /** Base64 of the deflated output. */
  readonly output: string;
  readonly resizes: readonly { readonly offset: number; readonly cols: number; readonly rows: number }[];
}

const FOLDER = new URL('./corpus/', import.meta.url);

export function recordings(): [name: string, recording: Recording][] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [
      file.replace('.json', ''),
      JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Recording,
    ]);
}

export function outputOf(recording: Recording): Uint8Array {
  return new Uint8Array(inflateRawSync(Buffer.from(recording.output, 'base64')));
}

/**
 * Stores the failing cases that a search has found: `test/corpus/<property>/<seed>.json`. It stores the values, not how
 * the seed led to them, so that a case stays the same when the generators change.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FoundCase {
  /** The first line of the error. */
  readonly why: string;
  readonly seed: number;
  /** The arguments of the property. Absent for a story that the seed alone repeats. */
  readonly values?: readonly unknown[];
}

export class Corpus {
  readonly #dir: string;

  constructor(dir = fileURLToPath(new URL('../corpus/', import.meta.url))) {
    this.#dir = dir;
  }

  /** Names of the properties that have cases. */
  get properties(): string[] {
    if (!existsSync(this.#dir)) return [];
    const entries = readdirSync(this.#dir, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  }

  casesOf(property: string): FoundCase[] {
    const folder = `${this.#dir}/${property}`;
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => read(readFileSync(`${folder}/${name}`, 'utf8')));
  }

  /** Stores a case and returns its file. */
  keep(property: string, found: FoundCase): string {
    const folder = `${this.#dir}/${property}`;
    mkdirSync(folder, { recursive: true });
    const file = `${folder}/${found.seed}.json`;
    const { values, ...rest } = found;
    const written = values === undefined ? rest : { ...rest, values: values.map(toJson) };
    writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
    return file;
  }
}

function read(text: string): FoundCase {
  const { values, ...rest } = JSON.parse(text) as FoundCase;
  return values === undefined ? rest : { ...rest, values: values.map(fromJson) };
}

/**
 * Encodes values that JSON does not support as objects with one key that begins with `$`. Bytes become one character
 * each.
 */
function toJson(value: unknown): unknown {
  if (value === undefined) return { $undefined: true };
  if (typeof value === 'bigint') return { $bigint: `${value}` };
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { $number: spelled(value) };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('latin1') };
  if (Array.isArray(value)) return value.map(toJson);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'object' && isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toJson(one)]));
  throw new Error(
    `The corpus cannot keep ${String(value)}: a property whose cases are to be replayed takes plain values (numbers, texts, bytes, arrays and records).`,
  );
}

function spelled(value: number): string {
  return Object.is(value, -0) ? '-0' : `${value}`;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (value === null || typeof value !== 'object') return value;
  const [[key, inner] = ['', undefined], ...others] = Object.entries(value);
  if (others.length === 0 && key === '$undefined') return undefined;
  if (others.length === 0 && key === '$bigint') return BigInt(inner as string);
  if (others.length === 0 && key === '$number') return Number(inner);
  if (others.length === 0 && key === '$bytes') return Uint8Array.from(Buffer.from(inner as string, 'latin1'));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fromJson(one)]));
}

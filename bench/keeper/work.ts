/** What goes on in a session while its agent is replaced. Each work prints all the time, and its content is checked. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeadlessClient } from '../../test/support/headless-client.ts';
import { until } from '../deadline.ts';
import { WatchedSession } from './watched-session.ts';

export interface Work {
  readonly watched: WatchedSession;
  /** Ends the work, and returns what was wrong with its content. */
  finish(): Promise<string[]>;
}

export type StartWork = (client: HeadlessClient, folder: string) => Promise<Work>;

/** Numbered lines, as fast as they are taken. */
const flood: StartWork = async (client) => {
  const wrong: string[] = [];
  let next = 0;
  let rest = '';
  let isReady = false;
  const take = (bytes: Uint8Array) => {
    if (!isReady) return;
    const lines = (rest + Buffer.from(bytes).toString('latin1')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== `${next}`) wrong.push(`line ${JSON.stringify(line)} where ${next} was due`);
      next = Number(line) + 1;
    }
  };
  const script = 'stty -echo; printf ready; read go; exec seq 0 1 100000000000';
  const watched = await WatchedSession.open(client, script, take);
  await watched.arrival();
  isReady = true;
  watched.type('\n');
  await watched.arrival();
  return {
    watched,
    finish: async () => {
      await client.client.close(watched.session.id);
      return wrong;
    },
  };
};

const KEY_EVERY_MS = 10;

/** Somebody types into an editor without a pause. */
const vim: StartWork = async (client, folder) => {
  const file = join(folder, 'typed-in-vim');
  const watched = await WatchedSession.open(client, `exec vim -u NONE -N -n ${file}`, () => {});
  await watched.arrival();
  let typed = '';
  watched.type('i');
  const typing = setInterval(() => {
    const key = typed.length % 60 === 59 ? '\n' : String.fromCharCode(97 + (typed.length % 26));
    typed += key;
    watched.type(key === '\n' ? '\r' : key);
  }, KEY_EVERY_MS);
  return {
    watched,
    finish: async () => {
      clearInterval(typing);
      watched.type('\x1b:wq\r');
      const has = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
      await until('the file was written', 20, async () => has().length > typed.length);
      return has() === `${typed}\n`
        ? []
        : [`the file has ${has().length} characters, ${typed.length} were typed, and they differ`];
    },
  };
};

const PASTE_PIECE_BYTES = 16 * 1024;
const PASTE_EVERY_MS = 5;
/** As far ahead as a page pastes. */
const PASTE_AHEAD_BYTES = 64 * 1024;

/** A paste without an end, into a program that prints it and writes it to a file. */
const paste: StartWork = async (client, folder) => {
  const file = join(folder, 'pasted');
  const pasted: Uint8Array[] = [];
  const printed: Uint8Array[] = [];
  const script = `stty raw -echo; printf ready; exec tee ${file}`;
  const watched = await WatchedSession.open(client, script, (bytes) => printed.push(bytes.slice()));
  const whole = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces);
  await until('the program is ready', 5, async () => whole(printed).includes('ready'));
  let number = 0;
  const pasting = setInterval(() => {
    if (watched.session.unsentBytes > PASTE_AHEAD_BYTES) return;
    let text = '';
    for (let at = number; text.length < PASTE_PIECE_BYTES; at++) text += `${at} `;
    const piece = new TextEncoder().encode(text);
    // Without an agent only a little input is kept; a page waits with the rest of a paste.
    if (!watched.session.type(piece)) return;
    pasted.push(piece);
    number++;
  }, PASTE_EVERY_MS);
  return {
    watched,
    finish: async () => {
      clearInterval(pasting);
      const expected = whole(pasted);
      await until('everything was printed', 20, async () => {
        return whole(printed).length >= expected.length + 'ready'.length;
      });
      await sleep(100); // anything doubled would follow
      const wrong: string[] = [];
      if (!whole(printed).subarray('ready'.length).equals(expected)) wrong.push('the output differs');
      if (!readFileSync(file).equals(expected)) wrong.push('what the program read differs');
      await client.client.close(watched.session.id);
      return wrong;
    },
  };
};

export const WORKS: Readonly<Record<string, StartWork>> = { flood, vim, paste };

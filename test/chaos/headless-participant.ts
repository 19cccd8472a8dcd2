/** The client library without a page. It watches its own session and those of the others, byte for byte. */
import { fileURLToPath } from 'node:url';
import type { AttachedSession } from '../../client/attached-session.ts';
import type { Beginning, Screen } from '../../client/screen.ts';
import type { Size } from '../../protocol/frame.ts';
import type { ChaosProxy } from '../support/chaos-proxy.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import type { CheckedLine } from './checked-line.ts';
import type { Participant } from './participant.ts';
import { StreamCheck } from './stream-check.ts';
import { Typist } from './typist.ts';

export const PROGRAM = fileURLToPath(new URL('checked-program.ts', import.meta.url));
const SIZE: Size = { cols: 80, rows: 24 };

/** A screen that checks instead of showing. A reset means that bytes were skipped: none may be. */
class CheckingScreen implements Screen {
  readonly check: StreamCheck;
  readonly beginnings: string[] = [];
  #waiting: (() => void)[] = [];

  constructor(onLine: (line: CheckedLine) => void) {
    this.check = new StreamCheck(onLine);
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.check.take(bytes);
    shown();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  reset(beginning?: Beginning): void {
    this.beginnings.push(`started anew at ${beginning?.offset}, with ${beginning?.lost} bytes lost`);
  }

  resize(): void {}

  async reaches(lines: number): Promise<void> {
    while (this.check.lines < lines) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

export class HeadlessParticipant implements Participant {
  readonly name: string;
  readonly leg: ChaosProxy;
  readonly typist: Typist;
  readonly #client: HeadlessClient;
  readonly #own: string;
  readonly #screens = new Map<string, CheckingScreen>();

  private constructor(name: string, leg: ChaosProxy, client: HeadlessClient, own: string) {
    this.name = name;
    this.leg = leg;
    this.#client = client;
    this.#own = own;
    const session = this.#watch(own, (line) => this.typist.shown(line));
    this.typist = new Typist((text) => session.type(new TextEncoder().encode(text)));
  }

  /** Starts a program that prints a line every so often, or only when typed at (0). */
  static async join(
    name: string,
    leg: ChaosProxy,
    client: HeadlessClient,
    everyMs: number,
  ): Promise<HeadlessParticipant> {
    const args = [PROGRAM, '--every', String(everyMs)];
    const { id } = await client.client.create({ ...SIZE, name, command: process.execPath, args });
    return new HeadlessParticipant(name, leg, client, id);
  }

  /** Watches the sessions of the others as well, from their first byte. */
  watch(others: readonly HeadlessParticipant[]): void {
    for (const { own } of others) if (own !== this.#own) this.#watch(own, () => {});
  }

  /** Its program has printed its first line: from now on input is neither echoed nor edited. */
  async isReady(): Promise<void> {
    await this.#screens.get(this.#own)?.reaches(1);
  }

  get own(): string {
    return this.#own;
  }

  get checkedBytes(): number {
    return [...this.#screens.values()].reduce((sum, { check }) => sum + check.bytes, 0);
  }

  /** How many lines of its own session it has shown. */
  get lines(): number {
    return this.#screens.get(this.#own)?.check.lines ?? 0;
  }

  async isUpToDate(everybody: readonly Participant[]): Promise<void> {
    for (const other of everybody) {
      if (!(other instanceof HeadlessParticipant)) continue;
      await this.#screens.get(other.own)?.reaches(other.lines);
    }
  }

  violations(): readonly string[] {
    const ofStreams = [...this.#screens].flatMap(([id, { check, beginnings }]) =>
      [...check.violations, ...beginnings].map(
        (what) => `${id === this.#own ? 'own session' : `session ${id}`}: ${what}`,
      ),
    );
    return [...ofStreams, ...this.typist.violations].map((what) => `${this.name}: ${what}`);
  }

  #watch(id: string, onLine: (line: CheckedLine) => void): AttachedSession {
    const screen = new CheckingScreen(onLine);
    this.#screens.set(id, screen);
    return this.#client.client.attach(id, SIZE, screen, { isNew: true });
  }
}

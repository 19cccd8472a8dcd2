/** The real client library, with a screen that a test can read. */
import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { AttachedSession, AttachOptions } from '../../client/attached-session.ts';
import type { Screen } from '../../client/screen.ts';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { relayDial } from '../../node/relay-socket.ts';
import { systemClock } from '../../node/system-clock.ts';
import type { Size } from '../../protocol/frame.ts';
import { restrictOutput } from '../../web/ui/terminal/hostile-output.ts';
import { randomness } from './property.ts';
import { seededRandom } from './seeded-random.ts';
import { Sightings } from './sightings.ts';
import { TerminalScreen } from './terminal-screen.ts';

const SIZE: Size = { cols: 80, rows: 24 };

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

/** For the waits before another dial: spread, and the same in every run. */
const random = seededRandom(randomness().seed);

export class HeadlessClient implements Disposable {
  readonly client: WorkspaceClient;

  /** A `token` function is called before each dial. */
  constructor(relay: URL, workspace: string, token: string | (() => string)) {
    const isRenewable = typeof token === 'function';
    const readToken = () => ({ ok: true, token: isRenewable ? token() : token }) as const;
    this.client = new WorkspaceClient({
      dial: relayDial(relay, `/ws/workspaces/${workspace}`, readToken),
      renewable: isRenewable,
      inflate: async (bytes) => new Uint8Array(inflateRawSync(bytes)),
      clock: systemClock,
      random: random.fraction,
      watched: () => true,
      instance: randomUUID(),
    });
  }

  /** Resolves when `condition` holds; it is checked after every change of the client. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve) => {
      const stop = this.client.onChange(() => {
        if (!condition()) return;
        stop();
        resolve();
      });
    });
  }

  async online(): Promise<void> {
    await this.until(() => this.client.state.name === 'live' && this.client.state.agent.state === 'online');
  }

  attach(
    id: string,
    options: AttachOptions = {},
    size = SIZE,
  ): { session: AttachedSession; screen: TerminalScreen } {
    const screen = new TerminalScreen(size);
    return { session: this.client.attach(id, size, screen, options), screen };
  }

  /** Attaches as the page does: output is restricted, and the terminal's own reports are typed. */
  attachAsPage(
    id: string,
    options: AttachOptions = {},
  ): { session: AttachedSession; screen: TerminalScreen } {
    const screen = new TerminalScreen(SIZE, (terminal) => {
      restrictOutput(terminal);
      terminal.onData((text) => typeInto(session, text));
    });
    const session = this.client.attach(id, SIZE, screen, options);
    return { session, screen };
  }

  /**
   * Opens a `sh` whose prompt does not depend on this machine, and waits for the prompt: input typed earlier would be
   * echoed before it, and its output would follow it. For another program, it waits until it is attached.
   */
  async open(
    command = 'sh',
    args: string[] = [],
  ): Promise<{ id: string; session: AttachedSession; screen: TerminalScreen }> {
    const { id } = await this.client.create({ ...SIZE, name: 'test', command, args, env: { PS1: '$ ' } });
    const opened = this.attach(id, { isNew: true });
    await this.until(() => opened.session.state.name !== 'attaching');
    if (command === 'sh' && args.length === 0) await opened.screen.sees(/^\$$/m);
    return { id, ...opened };
  }

  [Symbol.dispose](): void {
    this.client.leave();
  }
}

export function typeInto(session: AttachedSession, text: string): void {
  session.type(new TextEncoder().encode(text));
}

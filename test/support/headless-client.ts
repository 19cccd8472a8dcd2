/** The real client library, with a screen that a test can read. */
import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { AttachedSession, AttachOptions } from '../../client/attached-session.ts';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { relayDial } from '../../node/relay-socket.ts';
import { systemClock } from '../../node/system-clock.ts';
import type { Size } from '../../protocol/frame.ts';
import { restrictOutput } from '../../web/ui/terminal/hostile-output.ts';
import { randomness } from './property.ts';
import { seededRandom } from './seeded-random.ts';
import { TerminalScreen } from './terminal-screen.ts';
import { PROMPT, typeInto } from './type-into.ts';

const SIZE: Size = { cols: 80, rows: 24 };

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
   * Opens a `sh` and waits for its prompt, which ends its row; see PROMPT. For another program, it waits until it is
   * attached.
   */
  async open(
    command = 'sh',
    args: string[] = [],
  ): Promise<{ id: string; session: AttachedSession; screen: TerminalScreen }> {
    const { id } = await this.client.create({ ...SIZE, name: 'test', command, args, env: { PS1: PROMPT } });
    const opened = this.attach(id, { isNew: true });
    await this.until(() => opened.session.state.name !== 'attaching');
    if (command === 'sh' && args.length === 0) await opened.screen.sees(/^\$$/m);
    return { id, ...opened };
  }

  [Symbol.dispose](): void {
    this.client.leave();
  }
}

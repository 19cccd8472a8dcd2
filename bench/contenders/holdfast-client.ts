/** The product's client library with the screen that a measurement needs. */
import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { AttachedSession } from '../../client/attached-session.ts';
import type { Screen } from '../../client/screen.ts';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { systemClock } from '../../node/system-clock.ts';
import type { Dial } from '../../protocol/connection.ts';
import { within } from '../deadline.ts';
import { clientSide, SIZE } from './client-side.ts';
import type { ContenderOptions } from './contender.ts';
import { type Program, Terminal } from './terminal.ts';

export class HoldfastClient implements Disposable {
  readonly client: WorkspaceClient;

  constructor(dial: Dial) {
    this.client = new WorkspaceClient({
      dial,
      inflate: async (bytes) => new Uint8Array(inflateRawSync(bytes)),
      clock: systemClock,
      random: Math.random,
      watched: () => true,
      instance: randomUUID(),
    });
  }

  async online(): Promise<void> {
    const { client } = this;
    await this.until(
      'the agent is online',
      () => client.state.name === 'live' && client.state.agent.state === 'online',
    );
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    if (isSo()) return;
    let stop = () => {};
    const happened = new Promise<void>((resolve) => {
      stop = this.client.onChange(() => isSo() && resolve());
    });
    await within(what, happened).finally(stop);
  }

  async create({ command, args }: Program): Promise<string> {
    const { id } = await this.client.create({ ...SIZE, name: 'bench', command, args: [...args] });
    return id;
  }

  /** A terminal that shows the session `id` from its beginning or, when it is not new, from its screen. */
  async watch(
    id: string,
    isNew: boolean,
    kind?: ContenderOptions['client'],
  ): Promise<{ terminal: Terminal; session: AttachedSession }> {
    const take = clientSide(kind);
    const terminal = new Terminal((bytes) => session.type(bytes));
    const screen: Screen = {
      write: (bytes, shown) =>
        take(bytes, () => {
          shown();
          terminal.print(bytes);
        }),
      reset() {},
      resize() {},
    };
    const session = this.client.attach(id, SIZE, screen, { isNew });
    await this.until('the session is attached', () => session.state.name !== 'attaching');
    return { terminal, session };
  }

  [Symbol.dispose](): void {
    this.client.leave();
  }
}

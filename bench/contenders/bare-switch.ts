/** The bare program behind the bare switch: the cost of a terminal through an object that does nothing else. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { within } from '../deadline.ts';
import { cpuMs } from '../measuring/process-cost.ts';
import { PathProxy } from '../paths/path.ts';
import { startBareTerminal } from './bare-terminal.ts';
import { bareCost, startBareProgram } from './bare-ws.ts';
import type { Contender, ContenderOptions, ServerCost } from './contender.ts';
import { SwitchRelay } from './switch-relay.ts';
import type { Program, Terminal } from './terminal.ts';

export class BareSwitch implements Contender {
  readonly name = 'switch';
  readonly #relay: SwitchRelay;
  readonly #relayPid: number;
  readonly #address: URL;
  readonly #options: ContenderOptions;
  readonly #resources: AsyncDisposableStack;
  #child: ChildProcess | undefined;

  private constructor(
    relay: SwitchRelay,
    options: ContenderOptions,
    parts: { relayPid: number; address: URL; resources: AsyncDisposableStack },
  ) {
    this.#relay = relay;
    this.#options = options;
    this.#relayPid = parts.relayPid;
    this.#address = parts.address;
    this.#resources = parts.resources;
  }

  static async start(options: ContenderOptions = {}): Promise<BareSwitch> {
    const resources = new AsyncDisposableStack();
    const relay = await SwitchRelay.start();
    const relayPid = relay.pid;
    resources.use(relay);
    const address =
      options.path === undefined ? relay.url : resources.use(await PathProxy.to(relay.url, options.path)).url;
    const contender = new BareSwitch(relay, options, { relayPid, address, resources });
    await contender.#startProgram();
    return contender;
  }

  /** From the dial of the client on, as a page would. */
  async open(program: Program): Promise<Terminal> {
    const socket = new WebSocket(socketUrl(this.#address), { perMessageDeflate: false });
    await within('the switch answers', once(socket, 'open'));
    this.#resources.defer(() => socket.terminate());
    return startBareTerminal(socket, program, this.#options);
  }

  cost(): ServerCost {
    const { main, others } = cpuMs(this.#relayPid);
    const program = this.#child === undefined ? { moverMs: 0, othersMs: 0 } : bareCost(this.#child);
    return { ...program, relayMs: main + others };
  }

  messages(): Promise<number> {
    return this.#relay.messages();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#child === undefined ? undefined : once(this.#child, 'exit');
    await this.#resources.disposeAsync();
    await ended;
  }

  /** Resolves when it has dialled: it sends nothing by itself, so its end of the switch is queried. */
  async #startProgram(): Promise<void> {
    const child = startBareProgram(socketUrl(this.#relay.url).href, this.#options.windowBytes);
    this.#child = child;
    const probe = new WebSocket(socketUrl(this.#relay.url), { perMessageDeflate: false });
    await within('the switch answers', once(probe, 'open'));
    const answer = once(probe, 'message');
    const asking = setInterval(() => probe.send(JSON.stringify({ hello: true })), 20);
    await within('the bare program dials', answer);
    clearInterval(asking);
    probe.close();
    await once(probe, 'close');
  }
}

function socketUrl(base: URL): URL {
  const url = new URL('/ws', base);
  url.protocol = 'ws:';
  return url;
}

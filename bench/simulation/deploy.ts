/**
 * A deploy that drops every socket at once: when people can type again, and the load on objects and the edge.
 *
 * Clients and agents wait as the product does (protocol/backoff.ts). The edge accepts a number of handshakes per second
 * and refuses the rest; an object processes what reaches it one after the other.
 */
import { type Outage, retryDelay } from '../../protocol/backoff.ts';
import { Agenda } from './agenda.ts';
import { type DeployResult, DeployTally } from './deploy-tally.ts';
import { Edge } from './edge.ts';
import { Random } from './random.ts';

export interface DeployOptions {
  readonly seed: number;
  readonly clients: number;
  readonly clientsPerWorkspace: number;
  /** Sessions a page has tabs for. */
  readonly sessionsPerClient: number;
  /** How many pages are visible; the others wait longer between attempts. */
  readonly watchedShare: number;
  /** How long nothing answers after the sockets have dropped. */
  readonly outageMs: number;
  /** Handshakes that the edge takes a second, over all workspaces. */
  readonly edgePerSecond: number;
  /** How to wait; the product's rule unless another is compared. */
  readonly wait?: (outage: Outage, random: () => number) => number;
}

/** Of one object, measured on one machine; see docs/evidence/performance.md. */
const WAKE_MS = 9;
const HANDSHAKE_MS = 1;
const MESSAGE_MS = 0.15;
/** From a browser or an agent to the object and back. */
const ROUND_TRIP_MS = 60;
/** The agent's part of an answer: a screen out of a headless terminal. */
const SCREEN_MS = 8;
/** Clients that are not back by then are counted, not awaited. */
const HORIZON_MS = 300_000;

interface Peer {
  readonly workspace: Workspace;
  readonly isAgent: boolean;
  readonly isWatched: boolean;
  failures: number;
}

interface Workspace {
  /** When the object has processed everything that reached it. */
  busyUntilMs: number;
  isAwake: boolean;
  hasAgent: boolean;
  readonly waiting: Peer[];
}

export function simulateDeploy(options: DeployOptions): DeployResult {
  return new Deploy(options).run();
}

class Deploy {
  readonly #options: DeployOptions;
  readonly #random: Random;
  readonly #agenda = new Agenda();
  readonly #tally = new DeployTally();
  readonly #edge: Edge;

  constructor(options: DeployOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#edge = new Edge(options.edgePerSecond);
  }

  run(): DeployResult {
    const { clients, clientsPerWorkspace, watchedShare } = this.#options;
    for (let left = clients; left > 0; left -= clientsPerWorkspace) {
      const workspace: Workspace = { busyUntilMs: 0, isAwake: false, hasAgent: false, waiting: [] };
      // An agent always counts as watched: it cannot know whether somebody waits for it.
      this.#wait({ workspace, isAgent: true, isWatched: true, failures: 0 });
      for (let n = 0; n < Math.min(left, clientsPerWorkspace); n++) {
        this.#wait({ workspace, isAgent: false, isWatched: this.#random.chance(watchedShare), failures: 0 });
      }
    }
    this.#agenda.run(HORIZON_MS);
    return this.#tally.result(clients);
  }

  #wait(peer: Peer): void {
    const wait = this.#options.wait ?? retryDelay;
    const outage = { failures: peer.failures, elapsedMs: this.#agenda.nowMs, watched: peer.isWatched };
    this.#agenda.after(wait(outage, this.#random.next), () => this.#dial(peer));
  }

  #dial(peer: Peer): void {
    const { nowMs } = this.#agenda;
    this.#tally.tried(nowMs);
    if (nowMs < this.#options.outageMs || !this.#edge.takes(nowMs)) {
      this.#tally.refused++;
      peer.failures++;
      this.#wait(peer);
      return;
    }
    this.#agenda.after(ROUND_TRIP_MS / 2, () => this.#arrive(peer));
  }

  #arrive(peer: Peer): void {
    const { workspace } = peer;
    const wake = workspace.isAwake ? 0 : WAKE_MS;
    workspace.isAwake = true;
    this.#work(workspace, wake + HANDSHAKE_MS, () =>
      peer.isAgent ? this.#agentIsBack(workspace) : this.#attach(peer),
    );
  }

  /** Its inventory; every client that came before it is informed and requests again. */
  #agentIsBack(workspace: Workspace): void {
    this.#tally.messages++;
    this.#work(workspace, MESSAGE_MS, () => {
      workspace.hasAgent = true;
      for (const peer of workspace.waiting.splice(0))
        this.#agenda.after(ROUND_TRIP_MS, () => this.#attach(peer));
    });
  }

  /** Requests its sessions; each request passes the object, and so do the answer and the screen. */
  #attach(peer: Peer): void {
    const { workspace } = peer;
    if (!workspace.hasAgent) {
      workspace.waiting.push(peer);
      return;
    }
    const messages = 4 * this.#options.sessionsPerClient;
    this.#tally.messages += messages;
    this.#work(workspace, messages * MESSAGE_MS, () =>
      this.#agenda.after(2 * ROUND_TRIP_MS + SCREEN_MS, () =>
        this.#tally.usable(this.#agenda.nowMs, peer.isWatched),
      ),
    );
  }

  #work(workspace: Workspace, ms: number, done: () => void): void {
    const { nowMs } = this.#agenda;
    const begin = Math.max(nowMs, workspace.busyUntilMs);
    this.#tally.queued(begin - nowMs);
    workspace.busyUntilMs = begin + ms;
    this.#agenda.after(begin + ms - nowMs, done);
  }
}

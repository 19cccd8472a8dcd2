/**
 * Connects the relay and the sessions: passes messages from the relay to the right place, and session events to the
 * relay. It knows nothing about sockets or processes.
 */

import type { WireFrame } from '../../protocol/connection.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { decodeFrame, type Frame } from '../../protocol/frame.ts';
import { parseRelayMessage, type RelayMessage } from '../../protocol/messages/agent-message.ts';
import type { ManagerEvents, ManagerOptions } from '../session/manager-options.ts';
import { SessionManager } from '../session/session-manager.ts';
import { Attaching } from './attaching.ts';
import { CatchUp } from './catch-up.ts';
import { ClientRequests, requireOperator } from './client-requests.ts';
import { DebtWatch } from './debt-watch.ts';
import { InputAcks } from './input-acks.ts';
import { firstWords } from './inventory.ts';
import { LiveOutput } from './live-output.ts';
import { ignoreRecoveries, type RecoveryObserver } from './recoveries.ts';
import { driverMessage, exitedMessage, Uplink } from './uplink.ts';

export interface AgentOptions extends Omit<ManagerOptions, 'events' | 'outputEvents'> {
  /** Sends a frame to the relay. Frames are dropped while the link is down; clients resume by offset. */
  readonly send: (frame: WireFrame) => void;
  /** The agent's metrics, for a client that asks. */
  readonly metrics?: () => string;
  readonly recoveries?: RecoveryObserver;
  /** Why this process was started with less; null if it was not. */
  readonly trouble?: string | null;
  /** The version of this program, which the owner of the relay sees. */
  readonly build?: string;
}

export class Agent {
  readonly sessions: SessionManager;
  readonly #uplink: Uplink;
  readonly #requests: ClientRequests;
  readonly #about: Parameters<typeof firstWords>[2];
  readonly #debts: DebtWatch;
  readonly #inputAcks: InputAcks;
  /**
   * The generation of this link as counted by the relay; messages with a lower one were meant for an earlier link.
   * [RL10]
   */
  #generation = 0;

  constructor(given: AgentOptions) {
    const {
      send,
      metrics = () => '',
      recoveries = ignoreRecoveries,
      trouble = null,
      build,
      ...options
    } = given;
    const { clock, limits } = options;
    const uplink = new Uplink(send);
    const catchUp = new CatchUp(uplink, clock, recoveries);
    const sessions = new SessionManager({
      ...options,
      events: this.#events(),
      outputEvents: (session) => new LiveOutput({ session, send, uplink, catchUp, debts: this.#debts }),
    });
    const attaching = new Attaching({ sessions, uplink, catchUp, clock, recoveries });
    this.sessions = sessions;
    this.#uplink = uplink;
    this.#requests = new ClientRequests({ sessions, uplink, attaching, recoveries, metrics, clock });
    this.#about = { graceMs: limits.orphanGraceMs, trouble, build };
    this.#inputAcks = new InputAcks(clock, ({ session, channel, offset }) =>
      uplink.inputTaken(session, channel, offset),
    );
    this.#debts = new DebtWatch({
      clock,
      owed: () => sessions.list().some(({ audience }) => audience.isOwed),
      ask: (question) => uplink.tell({ type: 'ask_presence', question }),
    });
  }

  /** A new link has no attachments: send the agent's epoch and sessions, and let clients attach again. [AG1] */
  linkOpened(): void {
    this.#generation = 0;
    this.#inputAcks.forget();
    this.#requests.linkOpened();
    // Detaching the old link's clients must send nothing: the first message on a new link is `hello`.
    this.#uplink.silently(() => this.sessions.linkOpened());
    const infos = this.sessions.list().map((session) => session.info);
    for (const words of firstWords(this.sessions.epoch, infos, this.#about)) this.#uplink.tell(words);
  }

  linkLost(): void {
    this.sessions.linkLost();
  }

  /** Throws a ProtocolError for frames that our relay would never send. */
  received(frame: WireFrame): void {
    if (typeof frame === 'string') this.#control(parseRelayMessage(frame));
    else this.#data(decodeFrame(frame));
  }

  #control(message: RelayMessage): void {
    if ('generation' in message) {
      if (message.generation < this.#generation) return;
      this.#generation = message.generation;
    }
    switch (message.type) {
      case 'from_client':
        this.#requests.handle(message, message.message);
        return;
      case 'client_dropped':
        this.#requests.clientDropped(message.channel);
        this.sessions.clientDropped(message.channel);
        return;
      case 'presence':
        if (message.question !== undefined) this.sessions.presenceAnswered(message.question);
        return;
      case 'read_check':
        this.#uplink.tell({ type: 'read', mark: message.mark });
        return;
    }
  }

  #data(frame: Frame): void {
    if (frame.kind === 'ack') return this.#acknowledged(frame);
    const session = this.sessions.findByHandle(frame.handle);
    const viewer = session?.audience.viewer(frame.channel);
    // Not attached on this link: late frames of an earlier one. The client resends them after it attached. [IN5]
    if (session === undefined || viewer === undefined) return;
    if (frame.kind === 'input') {
      this.#requests.answering(frame.channel, { session: session.identity.id }, () => {
        requireOperator(viewer.role);
        session.type(viewer, frame.offset, frame.payload);
      });
    } else {
      throw new ProtocolError(`clients send no ${frame.kind} frames`);
    }
  }

  /** Tries output first. What acknowledges no new output is for a snapshot, whose session need not be attached. */
  #acknowledged({ channel, handle, offset }: Frame): void {
    const session = this.sessions.findByHandle(handle);
    if (session?.audience.acknowledge(channel, offset) === true) return;
    this.sessions.windows.find(channel)?.snapshotAcknowledged({ handle, offset });
  }

  /** Translates session events into messages to the relay. */
  #events(): ManagerEvents {
    return {
      resized: (session, offset, size) => this.#uplink.resized(session, offset, size),
      inputTaken: (session, channel, offset) => this.#inputAcks.taken(session, channel, offset),
      driverChanged: (session) => {
        for (const channel of session.audience.channels())
          this.#uplink.reply(channel, driverMessage(session, channel));
      },
      described: ({ identity: { id } }, channel, described) =>
        this.#uplink.reply(channel, { type: 'session_described', session: id, ...described }),
      commandEnded: (session) => this.#requests.awaits.look(session),
      attentionChanged: (session) => this.#requests.awaits.look(session),
      exited: (session, offset) => {
        this.#requests.awaits.over(session);
        this.#inputAcks.sendAll();
        this.#uplink.tellEverybody(exitedMessage(session, offset));
      },
      changed: (session) => this.#uplink.tell({ type: 'session_changed', session: session.info }),
      removed: (session, reason) => {
        const { id } = session.identity;
        this.#requests.awaits.over(session);
        this.#uplink.tell({ type: 'session_gone', session: id, reason });
        this.#uplink.tellEverybody({ type: 'session_closed', session: id, reason });
      },
      askPresence: (question) => this.#uplink.tell({ type: 'ask_presence', question }),
    };
  }
}

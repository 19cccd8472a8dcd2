/**
 * What people are told who are not connected: browsers by pushes, the relay's owner by reports to the fleet. Both are
 * told after an event, never on the way of one.
 */
import type { AgentMessage } from '../../protocol/messages/agent-message.ts';
import type { Turn } from '../metering/turn.ts';
import type { Registry } from '../registry/registry.ts';
import { type FleetSettings, MachineReports, sendTo } from './machine-reports.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import { openPushes, type Pushes, type PushSettings } from './pushes.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

interface ReportingParts {
  readonly registry: Registry;
  readonly sockets: WorkspaceSockets;
  readonly alarm: ObjectAlarm;
  readonly turn: Turn;
  readonly now: () => number;
}

export class Reporting {
  readonly pushes: Pushes;
  /** Null on a relay without an owner. */
  readonly #machine: MachineReports | null;

  constructor(settings: PushSettings & FleetSettings, parts: ReportingParts) {
    const send = sendTo(settings);
    const pushes = openPushes(settings, parts);
    const machine = send === null ? null : new MachineReports({ ...parts, send });
    parts.sockets.writes.onTold((before, told) => {
      pushes.noticed(before, told);
      machine?.noticed(before, told);
    });
    this.pushes = pushes;
    this.#machine = machine;
  }

  /** An agent of this workspace was let in. */
  connected(workspace: string | undefined): void {
    if (workspace !== undefined) this.#machine?.named(workspace);
  }

  heard(message: AgentMessage): void {
    this.#machine?.heard(message);
  }

  /** Runs after every event. */
  settle(now: number): void {
    this.pushes.settle(now);
    this.#machine?.settle(now);
  }

  alarm(now: number): void {
    this.pushes.send(now);
    this.#machine?.settle(now);
    this.#machine?.send(now);
  }
}

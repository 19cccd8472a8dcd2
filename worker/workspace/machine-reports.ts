/**
 * Tells the fleet what becomes of this workspace's machine: that it is online or offline, how many sessions run, and
 * whether something wants attention. fleet/report-plan.ts decides when, fleet/machine-report.ts what; this file connects
 * them. Rules FL1, FL2 and FL4.
 *
 * Nothing waits for the fleet, and nothing fails with it. A frame costs one comparison here.
 */

import type { AgentMessage } from '../../protocol/messages/agent-message.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { FLEET_NAME } from '../fleet/fleet-address.ts';
import { attentionOf, changesReport, type MachineReport, saysTheSame } from '../fleet/machine-report.ts';
import { changed, isDue, sending, taken } from '../fleet/report-plan.ts';
import { readOwnerKey } from '../gate/owner.ts';
import { REPORT_COST, type Turn } from '../metering/turn.ts';
import { errorName, log } from '../platform/log.ts';
import type { Registry } from '../registry/registry.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

/** The settings that say whether there is somebody to tell. */
export interface FleetSettings {
  /** Keeps the owner's machines, invites and links. A relay without it works, but has no owner. */
  readonly FLEET?: DurableObjectNamespace<Fleet>;
  /** The public key of the relay's owner, who may invite machines: Ed25519, 32 bytes in base64url. */
  readonly RELAY_OWNER_KEY?: string;
}

export type SendReport = (workspace: string, number: number, report: MachineReport) => Promise<unknown>;

/** Null for a relay without an owner: nobody reads what would be reported. */
export function sendTo({ FLEET, RELAY_OWNER_KEY }: FleetSettings): SendReport | null {
  if (FLEET === undefined || readOwnerKey(RELAY_OWNER_KEY) === null) return null;
  return async (workspace, number, report) => FLEET.getByName(FLEET_NAME).report(workspace, number, report);
}

interface MachineReportsParts {
  readonly registry: Registry;
  readonly sockets: Pick<WorkspaceSockets, 'hasAgentSaidHello' | 'agentPresence' | 'agentBuild'>;
  readonly alarm: ObjectAlarm;
  readonly turn: Turn;
  readonly send: SendReport;
  readonly now: () => number;
}

export class MachineReports {
  readonly #parts: MachineReportsParts;
  /** Whether something was told since the last `settle` that changes what is reported. */
  #hasChanged = false;
  /** As of the last `settle`; undefined after a wake-up. */
  #wasOnline: boolean | undefined;

  constructor(parts: MachineReportsParts) {
    this.#parts = parts;
  }

  /** A machine has connected. An object does not know its own name. */
  named(workspace: string): void {
    this.#safely(() => {
      const { machineReport } = this.#parts.registry;
      const stored = machineReport.get();
      if (stored.workspace !== workspace) machineReport.set({ ...stored, workspace });
    });
  }

  /** What was known of a session, and what its agent tells. Runs for every change of a session, so it only takes note. */
  noticed(before: SessionInfo | null, told: SessionInfo): void {
    this.#hasChanged ||= changesReport(before, told);
  }

  /** The agent's sessions are others, or the agent is. */
  heard({ type }: AgentMessage): void {
    if (type === 'hello' || type === 'inventory' || type === 'session_gone') this.#hasChanged = true;
  }

  /** Runs after every event: notes what has changed, and sends it if it is time. */
  settle(now: number): void {
    const isOnline = this.#parts.sockets.hasAgentSaidHello;
    if (!this.#hasChanged && isOnline === this.#wasOnline) return;
    this.#safely(() => this.#note(isOnline, now));
  }

  #note(isOnline: boolean, now: number): void {
    const { machineReport } = this.#parts.registry;
    const stored = machineReport.get();
    // After a wake-up: sockets that a deploy has closed end without an event.
    const hasChanged = this.#hasChanged || isOnline !== stored.wasOnline;
    this.#hasChanged = false;
    this.#wasOnline = isOnline;
    if (!hasChanged) return;
    // A change that waits is reported as it is then, so those that follow need no writing.
    const isNoted = stored.plan.dueAt !== null && stored.plan.attempts === 0 && isOnline === stored.wasOnline;
    if (!isNoted)
      machineReport.set({ ...stored, wasOnline: isOnline, plan: changed(stored.plan, isOnline, now) });
    this.#sendDue(now);
  }

  /** Sends what is due, and sets the alarm for the rest, also if it rang for another. */
  send(now: number): void {
    this.#safely(() => this.#sendDue(now));
  }

  #sendDue(now: number): void {
    const { registry, alarm, turn, sockets } = this.#parts;
    const { machineReport } = registry;
    const stored = machineReport.get();
    const { workspace, plan } = stored;
    if (workspace === null) return;
    if (isDue(plan, now)) {
      turn.spend(REPORT_COST, now);
      const report = this.#reportNow(stored.taken?.version ?? null, sockets.hasAgentSaidHello);
      const isKnown = saysTheSame(stored.taken, report);
      machineReport.set({ ...stored, plan: isKnown ? taken(plan, plan.number) : sending(plan, now) });
      if (!isKnown) void this.#deliver(workspace, plan.number, report);
    }
    alarm.plan(machineReport.get().plan.dueAt);
  }

  #reportNow(lastVersion: string | null, isOnline: boolean): MachineReport {
    const { registry, sockets } = this.#parts;
    const { since, lastSeen } = sockets.agentPresence();
    const { running, attention } = registry.machineReport.sessions();
    return {
      isOnline,
      since: momentOf(since),
      lastSeen: isOnline ? null : momentOf(lastSeen ?? null),
      sessions: running,
      attention: attentionOf(attention),
      version: isOnline ? sockets.agentBuild : lastVersion,
    };
  }

  async #deliver(workspace: string, number: number, report: MachineReport): Promise<void> {
    try {
      await this.#parts.send(workspace, number, report);
    } catch (error) {
      // It is sent again when it is due.
      return log('warn', 'report_failed', { error: errorName(error) });
    }
    this.#safely(() => {
      const { machineReport } = this.#parts.registry;
      const stored = machineReport.get();
      machineReport.set({ ...stored, taken: report, plan: taken(stored.plan, number) });
    });
  }

  /** A terminal must not suffer from what is only told to the owner. */
  #safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      log('error', 'report_unrecorded', { error: errorName(error) });
    }
  }
}

const momentOf = (time: string | null): number | null => (time === null ? null : Date.parse(time));

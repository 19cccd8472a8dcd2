/**
 * The Durable Object of the relay's owner, one per relay: its machines and what they report, and which invites and links
 * are still to be used. No terminal depends on it. The Worker and the workspaces have checked the caller; nobody else
 * can reach it.
 */
import { DurableObject } from 'cloudflare:workers';
import { CLOSE, mayBeSent } from '../../protocol/close-codes.ts';
import { CodeTable, type KeptCode } from './code-table.ts';
import { EXPIRES_HEADER } from './fleet-address.ts';
import type { MachineReport } from './machine-report.ts';
import { type JoinedMachine, type ListedMachine, MachineTable } from './machine-table.ts';
import { Watchers } from './watchers.ts';

export class Fleet extends DurableObject<object> {
  readonly #codes: CodeTable;
  readonly #machines: MachineTable;
  readonly #watchers: Watchers;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    // The platform answers heartbeats of pages, so that an open page does not wake this object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    this.#codes = new CodeTable(ctx.storage.sql);
    this.#machines = new MachineTable(ctx.storage.sql);
    this.#watchers = new Watchers(ctx);
  }

  // ── Codes ────────────────────────────────────────────────────────────────────────────────────────

  /** False when `most` or more are kept. */
  keepCode(code: KeptCode, most: number): boolean {
    return this.#codes.keep(code, most, Date.now());
  }

  /** Uses a code up; null if it was used before or taken back. */
  takeCode(id: string, kind: KeptCode['kind']): KeptCode | null {
    return this.#codes.take(id, kind, Date.now());
  }

  invites(): KeptCode[] {
    return this.#codes.invites(Date.now());
  }

  // ── Machines ─────────────────────────────────────────────────────────────────────────────────────

  machines(): ListedMachine[] {
    return this.#machines.list(Date.now());
  }

  machine(name: string): ListedMachine | null {
    return this.#machines.get(name);
  }

  /** The machine of this name that has joined, and whether there is room for it if there is none. */
  placeFor(name: string): { readonly machine: JoinedMachine | null; readonly hasRoom: boolean } {
    return { machine: this.#machines.joined(name), hasRoom: this.#machines.hasRoomFor(name) };
  }

  keepMachine(machine: JoinedMachine): void {
    this.#machines.keep(machine);
    this.#changed();
  }

  forgetMachine(name: string): void {
    this.#machines.forget(name);
    this.#changed();
  }

  /** Null when there is no such machine. */
  renameMachine(name: string, label: string | null): ListedMachine | null {
    if (this.#machines.get(name) === null) return null;
    this.#machines.rename(name, label);
    this.#changed();
    return this.#machines.get(name);
  }

  /** A workspace tells what has become of its machine. */
  report(name: string, number: number, report: MachineReport): void {
    if (this.#machines.report(name, number, report, Date.now())) this.#changed();
  }

  // ── The owner's pages ────────────────────────────────────────────────────────────────────────────

  override fetch(request: Request): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#watchers.admit(ours, Number(request.headers.get(EXPIRES_HEADER)));
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** A page has nothing to say but its heartbeat, which the platform answers. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(CLOSE.protocolError, 'This socket takes no messages.');
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    if (socket.readyState === WebSocket.CLOSED) return;
    if (mayBeSent(code)) socket.close(code, reason);
    else socket.close();
  }

  #changed(): void {
    this.#watchers.tell(Date.now());
  }
}

/**
 * The Durable Object of the relay's owner, one per relay: which machines have joined, and which invites and links are
 * still to be used. No terminal depends on it. The Worker has checked the caller; nobody else can reach it.
 */
import { DurableObject } from 'cloudflare:workers';
import { FleetStore, type KeptCode, type Machine } from './fleet-store.ts';

export class Fleet extends DurableObject<object> {
  readonly #store: FleetStore;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    this.#store = new FleetStore(ctx.storage.sql);
  }

  /** False when `most` or more are kept. */
  keepCode(code: KeptCode, most: number): boolean {
    return this.#store.keepCode(code, most, Date.now());
  }

  /** Uses a code up; null if it was used before or taken back. */
  takeCode(id: string, kind: KeptCode['kind']): KeptCode | null {
    return this.#store.takeCode(id, kind, Date.now());
  }

  invites(): KeptCode[] {
    return this.#store.invites(Date.now());
  }

  machines(): Machine[] {
    return this.#store.machines();
  }

  /** The machine of this name, and whether there is room for it if there is none. */
  placeFor(name: string): { readonly machine: Machine | null; readonly hasRoom: boolean } {
    return { machine: this.#store.machine(name), hasRoom: this.#store.hasRoomFor(name) };
  }

  keepMachine(machine: Machine): void {
    this.#store.keepMachine(machine);
  }

  forgetMachine(name: string): void {
    this.#store.forgetMachine(name);
  }
}

/** A session's metadata, and whether it is on disk. It has no clock: callers pass the time. */
import type { SessionMetadata } from './metadata.ts';
import { RETRY_MS } from './snapshot-schedule.ts';

export class UnsavedMetadata {
  #value: SessionMetadata;
  /** Counts changes, so that a change made while an older value is being written does not count as saved. */
  #version = 0;
  #savedVersion: number;
  #retryAt: number | null = null;

  constructor(value: SessionMetadata, isSaved: boolean) {
    this.#value = value;
    this.#savedVersion = isSaved ? 0 : -1;
  }

  get value(): SessionMetadata {
    return this.#value;
  }

  get version(): number {
    return this.#version;
  }

  get isSaved(): boolean {
    return this.#savedVersion === this.#version;
  }

  get isFailing(): boolean {
    return this.#retryAt !== null;
  }

  isDue(now: number): boolean {
    return !this.isSaved && (this.#retryAt === null || now >= this.#retryAt);
  }

  update(changes: Partial<SessionMetadata>): void {
    this.#value = { ...this.#value, ...changes };
    this.#version += 1;
  }

  saved(version: number): void {
    this.#savedVersion = version;
    this.#retryAt = null;
  }

  refused(now: number): void {
    this.#retryAt = now + RETRY_MS;
  }
}

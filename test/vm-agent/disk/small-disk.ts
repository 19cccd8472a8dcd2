/** A disk of one megabyte in memory, for tests of a full disk. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class SmallDisk implements Disposable {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'holdfast-small-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', this.path], { stdio: 'pipe' });
    } catch (error) {
      rmdirSync(this.path);
      throw error;
    }
  }

  /** Why such a disk is not possible here; null if it is. */
  static whyNot(): string | null {
    try {
      new SmallDisk()[Symbol.dispose]();
      return null;
    } catch (error) {
      return `a tmpfs cannot be mounted: ${(error as Error).message.trim()}`;
    }
  }

  /** Leaves no free byte. */
  fill(): void {
    for (let bytes = 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) {
      try {
        for (;;) writeFileSync(join(this.path, 'filler'), Buffer.alloc(bytes), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  }

  free(): void {
    rmSync(join(this.path, 'filler'));
  }

  [Symbol.dispose](): void {
    execFileSync('umount', [this.path]);
    rmdirSync(this.path);
  }
}

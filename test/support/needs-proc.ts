/**
 * For tests that read /proc or depend on what the product reads there: Linux has it, macOS does not. A test that is
 * skipped because of it says so in its name: it.skipIf(!hasProc)(`… ${unlessProc}`, …).
 */
import { existsSync } from 'node:fs';

export const hasProc = existsSync('/proc/self/stat');

export const unlessProc = hasProc ? '' : ' (skipped: this system has no /proc)';

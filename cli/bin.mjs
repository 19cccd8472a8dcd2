#!/usr/bin/env node
// Starts the command: as it was built, in a package; from its sources, in a checkout, so that it is never stale.
import { existsSync } from 'node:fs';

const source = new URL('./holdfast.ts', import.meta.url);
const built = new URL('../dist/cli/holdfast.js', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(
    `Holdfast needs Node 20 or newer, and this is ${process.versions.node}: install a newer one.`,
  );
  process.exit(1);
}
const readsTypes = major > 22 || (major === 22 && minor >= 18);
const entry = existsSync(source) && (readsTypes || !existsSync(built)) ? source : built;
if (entry === source && !readsTypes) await import('./require-node.mjs');
await import(entry.href);

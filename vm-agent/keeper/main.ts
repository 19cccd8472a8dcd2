/** Entry point of the keeper as a separate program. Its arguments are those of the agent. */
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { wantsKeeper } from '../settings/wants-keeper.ts';

// It runs little code, and seldom. V8 would interpret it for long, and a key would wait for that.
setFlagsFromString('--always-sparkplug');
setFlagsFromString('--no-lazy-feedback-allocation');
// The space for short-lived objects grows to 32 MiB in a flood and stays. What a keeper drops fits into the first two.
setFlagsFromString('--semi-space-growth-factor=1');
const { runKeeper } = await import('./run-keeper.ts');

const agent = new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : './main.js', import.meta.url);
const args = process.argv.slice(2);

if (wantsKeeper(args)) process.exit(await runKeeper(fileURLToPath(agent), args));
// There is nothing to keep: the agent's own entry runs in this process.
await import(/* @vite-ignore */ agent.href);

/**
 * The agent, but it checks after one second of silence whether the relay still knows it; a real agent waits a minute.
 */

import { Daemon } from '../../vm-agent/daemon.ts';
import { readConfig } from '../../vm-agent/settings/config.ts';

const daemon = await Daemon.start(readConfig(process.argv.slice(2), process.env), 1_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void daemon.stop(0));

/** The agent, but it asks after a second of quiet whether the relay still knows it, where a real one waits a minute. */
import { readConfig } from '../../vm-agent/config.ts';
import { Daemon } from '../../vm-agent/daemon.ts';

const daemon = await Daemon.start(readConfig(process.argv.slice(2), process.env), 1_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void daemon.stop(0));

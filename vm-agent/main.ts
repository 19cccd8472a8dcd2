/** The agent process. Bad settings are one sentence and exit code 2; signals end it in good order. */
import { ConfigError, helpText, readConfig } from './config.ts';
import { Daemon } from './daemon.ts';

if (process.argv.includes('--help')) {
  console.log(helpText());
  process.exit(0);
}

try {
  const config = readConfig(process.argv.slice(2), process.env);
  const daemon = await Daemon.start(config);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void daemon.stop(0));
  if (config.healthPort !== 0) await daemon.serveHealth(config.healthPort);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`holdfast agent: ${error.message}`);
  process.exit(2);
}

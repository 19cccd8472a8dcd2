/** Describes the machine in general terms, so that readers can judge figures without identifying it. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg, platform, totalmem } from 'node:os';

export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores, ${gigabytes} GiB of memory, ${systemName()}, Node ${process.versions.node}`;
}

/** Processes that wanted to run over the last minute, on average; above the number of cores, some waited. */
export function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '?';
}

function systemName(): string {
  try {
    const [, name] = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
    return name ?? platform();
  } catch {
    return platform();
  }
}

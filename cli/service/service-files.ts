/**
 * The files that describe our services to the system. Each has a line that says that it is ours; a file without it
 * belongs to somebody else, and is neither replaced nor removed.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { StartError } from '../../node/start-error.ts';
import { isServiceName, type Service, type ServiceManager } from './service.ts';

const MARK = 'Written by holdfast. `holdfast down` stops this service and removes this file.';
const KEEPS = 'Kept when it is removed: ';

/** Ours have about 2 KB. */
const FILE_MAX_BYTES = 64 * 1024;

export interface ServiceFile {
  readonly name: string;
  readonly text: string;
  /** What stays when the service is removed. */
  readonly keeps: readonly string[];
}

/** Null if there is none. Throws a StartError if there is one of somebody else. */
export async function readServiceFile(manager: ServiceManager, name: string): Promise<ServiceFile | null> {
  const path = manager.fileOf(name);
  const text = await readBeginning(path);
  if (text === null) return null;
  const file = ourFile(manager, name, text);
  if (file !== null) return file;
  throw new StartError(
    `${path} was not written by holdfast, and is left alone; rename or remove it yourself.`,
  );
}

/** Every service that is ours, by name. */
export async function ourServiceFiles(manager: ServiceManager): Promise<ServiceFile[]> {
  const files: ServiceFile[] = [];
  for (const entry of await namesIn(manager.directory)) {
    const name = entry.endsWith(manager.suffix) ? entry.slice(0, -manager.suffix.length) : '';
    if (!isServiceName(name)) continue;
    const file = ourFile(manager, name, (await readBeginning(manager.fileOf(name))) ?? '');
    if (file !== null) files.push(file);
  }
  return files.sort((a, b) => a.name.localeCompare(b.name));
}

/** Replaces the file atomically. Everybody may read it, as systemd expects; it holds no secret. */
export async function writeServiceFile(manager: ServiceManager, service: Service): Promise<void> {
  const path = manager.fileOf(service.name);
  const marks = [MARK, ...service.keeps.map((kept) => KEEPS + encoded(kept))].map((text) =>
    manager.comment(text),
  );
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(manager.directory, { recursive: true });
    await writeFile(temporary, manager.describe(service, marks), {
      flag: 'wx',
      mode: 0o644,
    });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StartError(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code}); check who owns the directory.`,
    );
  }
}

export async function removeServiceFile(manager: ServiceManager, name: string): Promise<void> {
  await rm(manager.fileOf(name), { force: true });
}

function ourFile(manager: ServiceManager, name: string, text: string): ServiceFile | null {
  const lines = text.split('\n');
  if (!lines.includes(manager.comment(MARK))) return null;
  const [before = '', after = ''] = manager.comment(`${KEEPS}\n`).split('\n');
  const keeps = lines
    .filter((line) => line.startsWith(before) && line.endsWith(after))
    .map((line) => decoded(line.slice(before.length, line.length - after.length)));
  return { name, text, keeps };
}

/** As in an address, and without hyphens: two of them may not stand in a comment of XML. */
const encoded = (path: string) => encodeURI(path).replaceAll('-', '%2D');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch {
    return [];
  }
}

async function readBeginning(path: string): Promise<string | null> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_MAX_BYTES), 0, FILE_MAX_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new StartError(`${path} cannot be read (${code}); check who owns it.`);
  }
}

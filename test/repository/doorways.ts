/** Which files may import each dependency, so that a library can be replaced in one place. */
import { type Import, packageOf } from './imports.ts';

interface Doorway {
  readonly package: RegExp;
  /** Where it may be imported, and by how many files there. */
  readonly doors: readonly { readonly under: string; readonly files: number }[];
}

const ANY = Number.POSITIVE_INFINITY;

export const DOORWAYS: readonly Doorway[] = [
  { package: /^node-pty$/, doors: [{ under: 'vm-agent/pty/spawn-pty.ts', files: 1 }] },
  {
    package: /^ws$/,
    doors: [{ under: 'node/relay-socket.ts', files: 1 }],
  },
  {
    package: /^jose$/,
    doors: [{ under: 'worker/', files: 1 }],
  },
  { package: /^lean-qr$/, doors: [{ under: 'client/qr/qr-code.ts', files: 1 }] },
  // For tests and benchmarks: it opens a second port without authentication.
  { package: /^miniflare$/, doors: [] },
  { package: /^workerd$/, doors: [{ under: 'cli/relay/workerd-process.ts', files: 1 }] },
  {
    package: /^@valibot\/to-json-schema$/,
    doors: [
      { under: 'worker/api/json-schema.ts', files: 1 },
      { under: 'mcp/json-schema.ts', files: 1 },
    ],
  },
  // A server for tools, and its two transports.
  { package: /^@modelcontextprotocol\//, doors: [{ under: 'mcp/sdk/', files: 3 }] },
  // It comes with the SDK; our own schemas are valibot's.
  { package: /^zod$/, doors: [] },
  { package: /^hono$/, doors: [{ under: 'worker/', files: ANY }] },
  {
    package: /^@xterm\//,
    doors: [
      { under: 'web/ui/', files: ANY },
      { under: 'vm-agent/screen', files: ANY },
    ],
  },
  {
    package: /^valibot$/,
    doors: [
      { under: 'protocol/', files: ANY },
      { under: 'worker/', files: ANY },
      // The arguments and answers of tools.
      { under: 'mcp/', files: ANY },
      // What the page reads back from its storage and from HTTP is validated too.
      { under: 'web/ui/', files: ANY },
      // So is what the agent reads back from its disk.
      { under: 'vm-agent/disk/metadata.ts', files: 1 },
      // And what another agent process has left.
      { under: 'vm-agent/run/saved-assist.ts', files: 1 },
    ],
  },
];

/** Every import outside the listed files, and every list with more files than allowed. */
export function trespasses(imports: readonly Import[]): string[] {
  return DOORWAYS.flatMap((doorway) => {
    const users = imports.filter(({ specifier }) => doorway.package.test(packageOf(specifier) ?? ''));
    const files = [...new Set(users.map(({ file }) => file))];
    const outside = files.filter((file) => !doorway.doors.some(({ under }) => file.startsWith(under)));
    const crowded = doorway.doors
      .map((door) => ({ ...door, found: files.filter((file) => file.startsWith(door.under)) }))
      .filter((door) => door.found.length > door.files);
    return [
      ...outside.map((file) => `${file} may not import ${doorway.package.source}`),
      ...crowded.map(
        ({ under, found }) => `${under} imports ${doorway.package.source} in ${found.join(' and ')}`,
      ),
    ];
  });
}

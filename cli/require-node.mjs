// Loaded before anything else (`node --import`): an older Node cannot even read our sources.
// `npm ci` installs the one we use; `npm ci --omit=dev` leaves it out.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Holdfast is developed on Node 24, and this is ${process.versions.node}: run \`npm ci\` without --omit=dev, which installs it, or use Node 22.18 or newer.`,
  );
  process.exit(1);
}

#!/usr/bin/env node
/** The feedback of another server over stdin and stdout, from QUACKBACK_URL and QUACKBACK_API_KEY alone. */
const OWN = new Set(['--version', '-v']);

// The launcher of Parley reads the command line, on this Node or on the one that it finds.
if (!OWN.has(process.argv[2] ?? '')) process.argv.splice(2, 0, 'mcp', 'feedback', '--remote');
await import('./parley.js');

/** A plugin with one tool: what time it is somewhere. */
export const plugin = {
  manifest: {
    name: 'clock',
    version: '1.0.0',
    description: 'Tells the time.',
    author: 'Parley',
    capabilities: [],
  },
  tools: [
    {
      name: 'now',
      description: 'The time now in a time zone, such as Europe/Berlin.',
      effect: 'read',
      inputSchema: {
        type: 'object',
        properties: { timezone: { type: 'string', maxLength: 64, description: 'UTC when absent' } },
        additionalProperties: false,
      },
      handler({ timezone = 'UTC' }) {
        const now = new Date();
        const text = now.toLocaleString('en-GB', {
          timeZone: timezone,
          dateStyle: 'full',
          timeStyle: 'long',
        });
        return { text, data: { iso: now.toISOString(), timezone } };
      },
    },
  ],
};

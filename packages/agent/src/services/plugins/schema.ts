/** The tables of plugins, as queries see them. */

/** A plugin that an organization has loaded once. */
export interface PluginRow {
  id: string;
  organization_id: string;
  /** What its manifest says. */
  name: string;
  /** The folder or module that it was loaded from. */
  package_name: string;
  version: string;
  /** The capabilities that it declares, as JSON. */
  capabilities: string;
  /** The full names of its tools, as JSON. */
  tools: string;
  /** Of the package's files when it was loaded; empty: it was loaded before that was written down. */
  digest: string;
  /** `changed`: the files are not those any more. */
  status: 'active' | 'changed' | 'disabled' | 'error';
  /** Encrypted; null: it has none. */
  config: string | null;
  /** When it crashed lately, as JSON. */
  crashes: string;
  /** Another one after each load, so that every process runs what was loaded last. */
  generation: string;
  created_at: number;
  updated_at: number;
}

/** What a plugin asked for, and whether it has it. */
export interface PluginCapabilityRow {
  organization_id: string;
  plugin_id: string;
  capability: string;
  granted: number;
  granted_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface PluginTables {
  plugins: PluginRow;
  plugin_capabilities: PluginCapabilityRow;
}

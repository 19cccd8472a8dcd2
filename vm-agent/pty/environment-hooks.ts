/**
 * Lists variables that a caller may not add to a session's environment. Each one makes programs run code, load modules
 * or read settings that the caller chose, although nobody in the session asked for it.
 *
 * Two kinds are allowed. Variables that name a program which somebody starts on purpose (EDITOR, VISUAL, PAGER,
 * MANPAGER, GIT_EDITOR, GIT_PAGER, BROWSER, CC), because scripts often set them to `cat` or `true`. And variables that
 * say where programs and their files are (PATH, HOME, XDG_CONFIG_HOME), because a session made for a purpose needs
 * them.
 */

/** Whole families: dynamic linker, C library allocator, functions imported by bash, git settings. */
const FAMILIES = /^(LD_|DYLD_|MALLOC_|BASH_FUNC_|GIT_CONFIG|CORECLR_|COR_|FZF_DEFAULT_)/;

const NAMES: ReadonlySet<string> = new Set([
  // Shells: files they read, options they start with, and what they expand before a prompt or a traced command.
  ...[
    'BASH_ENV',
    'ENV',
    'BASHOPTS',
    'SHELLOPTS',
    'BASH_LOADABLES_PATH',
    'BASH_XTRACEFD',
    'ZDOTDIR',
    'FPATH',
    'INPUTRC',
  ],
  ...['IFS', 'PS4', 'PROMPT_COMMAND', 'MAILPATH', 'KSH_ENV'],
  // The C library: modules, locales, message catalogues, host names and terminal descriptions from elsewhere.
  ...[
    'GCONV_PATH',
    'GETCONF_DIR',
    'GLIBC_TUNABLES',
    'HOSTALIASES',
    'LOCALDOMAIN',
    'LOCPATH',
    'NIS_PATH',
    'NLSPATH',
  ],
  ...['RESOLV_HOST_CONF', 'RES_OPTIONS', 'TZDIR', 'TERMCAP', 'TERMINFO', 'TERMINFO_DIRS', 'TERMPATH'],
  // Languages: options, start-up files and module search paths.
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_REPL_EXTERNAL_MODULE'],
  ...[
    'npm_config_globalconfig',
    'npm_config_node_options',
    'npm_config_script_shell',
    'npm_config_userconfig',
  ],
  ...['PERL5DB', 'PERL5LIB', 'PERL5OPT', 'PERL5SHELL', 'PERLLIB'],
  ...[
    'PYTHONBREAKPOINT',
    'PYTHONEXECUTABLE',
    'PYTHONHOME',
    'PYTHONINSPECT',
    'PYTHONPATH',
    'PYTHONPLATLIBDIR',
  ],
  ...['PYTHONPYCACHEPREFIX', 'PYTHONSTARTUP', 'PYTHONUSERBASE', 'PYTHONWARNINGS'],
  ...['RUBYLIB', 'RUBYOPT', 'RUBYSHELL', 'LUA_CPATH', 'LUA_INIT', 'LUA_PATH', 'PHPRC', 'PHP_INI_SCAN_DIR'],
  ...['CLASSPATH', 'JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS'],
  ...['DOTNET_ADDITIONAL_DEPS', 'DOTNET_STARTUP_HOOKS', 'ERL_AFLAGS', 'ERL_FLAGS', 'ERL_LIBS', 'ERL_ZFLAGS'],
  ...['R_ENVIRON', 'R_PROFILE', 'R_PROFILE_USER', 'JULIA_LOAD_PATH', 'GUILE_LOAD_PATH', 'TCLLIBPATH'],
  ...['EMACSLOADPATH', 'EXINIT', 'GVIMINIT', 'VIMINIT'],
  // Tools that run a command, or read a file that names one, whatever they were started for.
  ...['GIT_ASKPASS', 'GIT_EXEC_PATH', 'GIT_EXTERNAL_DIFF', 'GIT_PROXY_COMMAND', 'GIT_SSH', 'GIT_SSH_COMMAND'],
  ...['GIT_TEMPLATE_DIR', 'SSH_ASKPASS', 'SUDO_ASKPASS', 'CVS_RSH', 'RSYNC_RSH', 'SVN_SSH'],
  ...['LESSCLOSE', 'LESSEDIT', 'LESSKEY', 'LESSKEYIN', 'LESSKEY_CONTENT', 'LESSKEY_SYSTEM', 'LESSOPEN'],
  ...['GNUMAKEFLAGS', 'MAKEFILES', 'MAKEFLAGS', 'CARGO_BUILD_RUSTC_WRAPPER', 'RUSTC_WRAPPER', 'TAR_OPTIONS'],
  ...['CURL_HOME', 'PSQLRC', 'WGETRC', 'OPENSSL_CONF', 'OPENSSL_ENGINES', 'OPENSSL_MODULES'],
  // Which certificates programs trust, and whether they log their TLS keys.
  ...['CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'GIT_SSL_NO_VERIFY', 'NODE_EXTRA_CA_CERTS'],
  ...[
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'PYTHONHTTPSVERIFY',
    'REQUESTS_CA_BUNDLE',
    'SSL_CERT_DIR',
    'SSL_CERT_FILE',
  ],
  'SSLKEYLOGFILE',
]);

/** Shells expand prompts and run their substitutions. `less` runs what follows a plus sign. */
const VALUES: readonly { readonly name: RegExp; readonly runs: RegExp }[] = [
  { name: /^(PS[0-3]|R?PROMPT[2-4]?)$/, runs: /\$[({]|`/ },
  { name: /^(LESS|MORE)$/, runs: /\+/ },
];

/** Whether this variable, with this value, runs code that the caller chose. */
export function isHook(name: string, value: string): boolean {
  if (NAMES.has(name) || FAMILIES.test(name) || /^LUA_(INIT|C?PATH)_/.test(name)) return true;
  return VALUES.some((each) => each.name.test(name) && each.runs.test(value));
}

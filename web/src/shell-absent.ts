/** Programs that people try and that cannot be had here, and what to do instead. To scripts that ask they are not there. */

const PREVIEW = "JavaScript and TypeScript run in the preview, which the tool preview_compile builds";
const OTHERS = "python, awk and sed are there";
const NO_COMPILER = `nothing can be compiled here; ${OTHERS}`;
const NO_INSTALLER = "what can be installed is packages of Python, with pip";
const NO_NETWORK = "there is no network but what curl and Python's requests reach";
const ONE_SCREEN = "use & to run a command in the background, and jobs";

const INSTEAD = new Map(
  Object.entries({
    git: "there is no repository here; diff and patch compare files, and checkpoints keep states of the project",
    wget: "use curl",
    perl: OTHERS,
    ruby: OTHERS,
    php: OTHERS,
    make: "run its commands by themselves",
    sudo: "leave it out: there is one user, who may do everything",
    rsync: "use cp -a",
    docker: "commands run in this sandbox, and nowhere else",
    ...every("node npm npx yarn pnpm deno bun tsc", PREVIEW),
    ...every("gcc cc g++ clang cargo rustc go javac java", NO_COMPILER),
    ...every("apt apt-get apk brew yum dnf", NO_INSTALLER),
    ...every("ssh scp sftp telnet nc ping", NO_NETWORK),
    ...every("tmux screen", ONE_SCREEN),
  }),
);

/** Return what to say of a program that was not found, if there is more to say. */
export function absent(name: string): string | undefined {
  const instead = INSTEAD.get(name);
  return instead && `${name}: not available in this sandbox; ${instead}\n`;
}

function every(names: string, instead: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, instead]));
}

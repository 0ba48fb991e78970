"""The root of every error that inbrowser raises on purpose."""


class InBrowserError(Exception):
    """Base class; its message is one line that names what is at fault and what to do about it.

    Both packages derive one subclass a cause. At the JavaScript border the class name becomes `error.name`.
    """

from .packs import Pack as Pack
from .packs import PackSet as PackSet
from .records import Failure as Failure
from .records import Installed as Installed
from .records import InstallReport as InstallReport
from .records import PackageError as PackageError
from .records import PackageInfo as PackageInfo
from .service import PackageService as PackageService

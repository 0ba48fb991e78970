"""Archives: a sandbox's tree as zip or tar.gz and back, in pieces; imported by the first use of them."""

from .entries import ExportFormat, ImportFormat
from .export import export_archive
from .ground import Ground
from .importing import ArchiveData, ImportReport, OnConflict, import_archive

__all__ = [
    "ArchiveData",
    "ExportFormat",
    "Ground",
    "ImportFormat",
    "ImportReport",
    "OnConflict",
    "export_archive",
    "import_archive",
]
